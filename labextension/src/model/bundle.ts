import type { InstanceBundle, InstanceImport } from '../generated/api';

/** Why a file cannot be imported: it is no JSON, or nothing in it is an instance. */
export type BundleFault = 'no-json' | 'no-instances' | 'nameless';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listed(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  if (isObject(value)) {
    return Array.isArray(value['instances']) ? value['instances'] : [value];
  }
  return [];
}

/**
 * Reads a file that is to be imported: what an export wrote, a list of instances, or one instance as Elyra's command
 * line exports it. An instance without name has that of its file.
 */
export function bundleOf(text: string, fileName: string): InstanceBundle | BundleFault {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return 'no-json';
  }
  const found = listed(value).filter(isObject);
  if (found.length === 0 || found.some(one => !isObject(one['metadata']))) {
    return 'no-instances';
  }
  const own = found.length === 1 ? fileName.replace(/\.json$/i, '') : undefined;
  const instances = found.map(one => ({ ...one, name: one['name'] ?? own }));
  if (instances.some(one => typeof one.name !== 'string')) {
    return 'nameless';
  }
  return { instances: instances as InstanceBundle['instances'] };
}

/** Bundles of several files as one. */
export function joined(bundles: readonly InstanceBundle[]): InstanceBundle {
  return { instances: bundles.flatMap(bundle => bundle.instances) };
}

/** What an import would make or change: with or without overwriting what is there. */
export function wouldWrite(report: InstanceImport, overwrite: boolean): number {
  const { created, updated, conflict } = report.counts;
  return created + updated + (overwrite ? conflict : 0);
}
