/** Where a recipe is wrong, counted from 1. */
export interface IPlace {
  line: number;
  column: number;
}

/** Reads the place from the message of a recipe that was refused; null if it has none. */
export function findPlace(message: string): IPlace | null {
  const match = /^line (\d+), column (\d+): /.exec(message);
  return match === null ? null : { line: Number(match[1]), column: Number(match[2]) };
}

/** Returns why a single line is refused, without its place in the recipe. */
export function removePlace(message: string): string {
  return message.replace(/^line \d+, column \d+: /, '');
}

/** Returns the offset of a place in a text. */
export function getOffset(text: string, { line, column }: IPlace): number {
  const before = text.split('\n').slice(0, line - 1);
  return Math.min(
    text.length,
    before.reduce((sum, each) => sum + each.length + 1, column - 1)
  );
}
