/** Lets everything that waits for an answer go on, until a condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 4000; turn++) {
    if (holds()) {
      return;
    }
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  throw new Error('it never came about');
}
