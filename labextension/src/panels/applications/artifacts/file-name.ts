/** The name of a wheel: distribution, version and tags. */
const WHEEL = /^([A-Za-z0-9_.]+)-([A-Za-z0-9_.+]+)(?:-[0-9][^-]*)?-[^-]+-[^-]+-[^-]+\.whl$/;
const MODULE = /\.py$/;
/** The constant of a module that must be its version. */
const VERSION = /^__version__\s*(?::[^=\n]+)?=\s*(?:"([^"\n]+)"|'([^'\n]+)')/m;

/** The name and the version of an artifact; empty where they are unknown. */
export interface IArtifactName {
  name: string;
  version: string;
}

/** Returns whether a file may be an artifact, by its name. */
export function isArtifactFile(fileName: string): boolean {
  return fileName.endsWith('.whl') || MODULE.test(fileName);
}

/** Returns the name and the version that a file declares: a wheel in its name, a module in its source. */
export async function readArtifactName(file: File): Promise<IArtifactName> {
  const wheel = WHEEL.exec(file.name);
  if (wheel !== null) {
    return { name: wheel[1]?.replaceAll('.', '-') ?? '', version: wheel[2] ?? '' };
  }
  if (!MODULE.test(file.name)) {
    return { name: '', version: '' };
  }
  const version = VERSION.exec(await file.text());
  return { name: file.name.replace(MODULE, ''), version: version?.[1] ?? version?.[2] ?? '' };
}
