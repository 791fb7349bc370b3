/** Waits until a condition holds, processing pending answers. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 4000; turn++) {
    if (condition()) {
      return;
    }
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  throw new Error('the condition was not met in time');
}
