/** Finds the input or select with a label. */
export function findField(label: string): HTMLInputElement | HTMLSelectElement | null {
  const labels = [...document.querySelectorAll('label')];
  // The text of a label includes the options of its select.
  const found = labels.find(item => item.firstChild?.textContent === label);
  return found?.querySelector('input, select') ?? (found?.control as HTMLInputElement | undefined) ?? null;
}

/** Types into an input or chooses an option, as React notices it. */
export function fillField(label: string, value: string): void {
  const field = findField(label);
  const [prototype, event] =
    field instanceof HTMLSelectElement
      ? [HTMLSelectElement.prototype, 'change']
      : [HTMLInputElement.prototype, 'input'];
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value);
  field?.dispatchEvent(new Event(event, { bubbles: true }));
}
