import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDifference } from '../model/difference';
import { shortenUrn } from '../model/urns';

/** More differences are only counted: JupyterLab cuts notifications at 140 characters. */
const MAX_DIFFERENCES = 2;
/** Longer values are omitted. */
const MAX_VALUE = 20;

function formatDifference({ kind, place, value, old }: IDifference, trans: TranslationBundle): string {
  const full = (kind === 'removed' ? old : value) ?? '';
  const text = full.startsWith('urn:li:') ? shortenUrn(full) : full;
  const named = text === '' || text.length > MAX_VALUE ? place : trans.__('%1 “%2”', place, text);
  switch (kind) {
    case 'added':
      return trans.__('%1 added', named);
    case 'removed':
      return trans.__('%1 removed', named);
    case 'changed':
      return trans.__('%1 changed', named);
  }
}

/** Adds what changed to a sentence about a change: `: owner “ops” added, tags “raw” removed`. */
export function addDifferences(
  sentence: string,
  differences: readonly IDifference[],
  trans: TranslationBundle
): string {
  if (differences.length === 0) {
    return sentence;
  }
  const shown = differences
    .slice(0, MAX_DIFFERENCES)
    .map(difference => formatDifference(difference, trans))
    .join(', ');
  const more = differences.length - MAX_DIFFERENCES;
  const listed = more > 0 ? trans._n('%2 and %1 more change', '%2 and %1 more changes', more, shown) : shown;
  return trans.__('%1: %2', sentence.replace(/\.$/, ''), listed);
}
