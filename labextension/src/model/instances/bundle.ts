import type { InstanceBundle, InstanceImport } from '../../generated/api';

/** Why a file cannot be imported. */
export type BundleProblem = 'no-json' | 'no-instances' | 'nameless';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listCandidates(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  if (isObject(value)) {
    return Array.isArray(value['instances']) ? value['instances'] : [value];
  }
  return [];
}

/**
 * Parses a file to import: an exported file, a list of instances, or one instance as exported by the command line of
 * Elyra.
 * An instance without a name gets the name of the file.
 */
export function parseBundle(text: string, fileName: string): InstanceBundle | BundleProblem {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return 'no-json';
  }
  const candidates = listCandidates(value).filter(isObject);
  if (candidates.length === 0 || candidates.some(candidate => !isObject(candidate['metadata']))) {
    return 'no-instances';
  }
  const defaultName = candidates.length === 1 ? fileName.replace(/\.json$/i, '') : undefined;
  const instances = candidates.map(candidate => ({ ...candidate, name: candidate['name'] ?? defaultName }));
  if (instances.some(candidate => typeof candidate.name !== 'string')) {
    return 'nameless';
  }
  return { instances: instances as InstanceBundle['instances'] };
}

/** Merges the bundles of several files. */
export function mergeBundles(bundles: readonly InstanceBundle[]): InstanceBundle {
  return { instances: bundles.flatMap(bundle => bundle.instances) };
}

/** Returns the number of instances that an import would create or update, with or without overwriting. */
export function countWrites(report: InstanceImport, overwrite: boolean): number {
  const { created, updated, conflict } = report.counts;
  return created + updated + (overwrite ? conflict : 0);
}
