import type { SearchResults } from '../../generated/api';
import type { PlainTextConverter } from '../plain-text';

type Hit = SearchResults['hits'][number];
type Match = Hit['matches'][number];
type Part = Match['parts'][number];

/** The text before the first highlighted word of a long text. */
const BEFORE = 40;

/** Splits a text at the highlighted words of other parts, and cuts what is long before the first one. */
function highlightAgain(text: string, parts: readonly Part[]): Part[] {
  const words = new Set(parts.filter(part => part.highlighted).map(part => part.text));
  const pieces: Part[] = [];
  let start = 0;
  while (start < text.length) {
    const next = [...words]
      .map(word => ({ word, at: text.indexOf(word, start) }))
      .filter(({ at }) => at >= 0)
      .sort((left, right) => left.at - right.at || right.word.length - left.word.length)[0];
    const end = next?.at ?? text.length;
    if (end > start) {
      const piece = text.slice(start, end);
      const isLong = pieces.length === 0 && next !== undefined && piece.length > BEFORE;
      pieces.push({ text: isLong ? `…${piece.slice(-BEFORE)}` : piece, highlighted: false });
    }
    if (next === undefined) {
      break;
    }
    pieces.push({ text: next.word, highlighted: true });
    start = end + next.word.length;
  }
  return pieces;
}

/** Replaces the Markdown in the description of a hit, and in the match that it explains, by plain text. */
async function toPlainHit(hit: Hit, converter: PlainTextConverter): Promise<Hit> {
  const description = await converter.convert(hit.description);
  if (description === hit.description) {
    return hit;
  }
  const matches = hit.matches.map(match =>
    match.key === 'description' && match.value === hit.description
      ? { ...match, parts: highlightAgain(description, match.parts) }
      : match
  );
  return { ...hit, description, matches };
}

/** Returns hits whose descriptions are plain text. */
export function toPlainHits(hits: readonly Hit[], converter: PlainTextConverter): Promise<Hit[]> {
  return Promise.all(hits.map(hit => toPlainHit(hit, converter)));
}
