import type { Artifact, Change } from '../../../generated/api';
import type { ILiveState } from '../../../model/live/live-model';
import { LiveModel } from '../../../model/live/live-model';
import type { CatalogProblem } from '../../../model/problem';
import { toProblem } from '../../../model/problem';
import type { ICatalog, IChangeFeed } from '../../../tokens';
import { isArtifactFile, readArtifactName } from './file-name';

/** A page of namespaces, and of artifacts. */
const LIMIT = 500;
const DEFAULT_NAMESPACE = 'default';
/** The change log has several changes for an upload. */
const CHANGE_PAUSE_MS = 300;
/** The rights that uploading and deleting need in the namespace. */
const NEEDED = ['admin', 'emit'] as const;

/** A file that the user chose, and what becomes of it. */
export interface IUpload {
  file: File;
  name: string;
  version: string;
  isSending: boolean;
  /** Why it was not uploaded. */
  problem: CatalogProblem | null;
}

/** A right that the user does not have, and why. */
export interface IMissingRight {
  permission: string;
  reason: string;
}

/** The state of the artifacts of a namespace. */
export interface IArtifactsState extends ILiveState {
  namespaces: readonly string[];
  /** The chosen namespace; empty before they are loaded. */
  namespace: string;
  /** Null until they are loaded. */
  artifacts: readonly Artifact[] | null;
  /** What the user needs to upload and delete; null if nothing is missing. */
  missing: IMissingRight | null;
  /** Null if no file is chosen. */
  upload: IUpload | null;
  /** Whether the last file that was chosen cannot be an artifact, or several files were dropped. */
  isWrongFile: boolean;
  /** The artifact that was uploaded last; null after another action. */
  uploaded: Artifact | null;
  /** The artifact whose plugins are shown, by its URN; empty for none. */
  selected: string;
}

/** The model of the artifacts of a namespace. */
export class ArtifactsModel extends LiveModel<IArtifactsState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null
  ) {
    super(feed, {
      ...{ namespaces: [], namespace: '', artifacts: null, missing: null, upload: null, isWrongFile: false },
      ...{ uploaded: null, selected: '', busy: false, problem: null }
    });
  }

  /** Shows the artifacts of another namespace. */
  async chooseNamespace(namespace: string): Promise<void> {
    this.setState({ namespace, artifacts: null, selected: '', uploaded: null });
    await this.refresh();
  }

  /** Shows the plugins of an artifact; an empty URN closes them. */
  select(urn: string): void {
    this.setState({ selected: urn });
  }

  /** Prepares the upload of one wheel or module: its name and version are those that it declares. */
  async chooseFiles(files: readonly File[]): Promise<void> {
    const [file] = files;
    if (this.state.upload?.isSending || file === undefined) {
      return;
    }
    if (files.length > 1 || !isArtifactFile(file.name)) {
      this.setState({ isWrongFile: true, uploaded: null });
      return;
    }
    const declared = await readArtifactName(file);
    this.setState({
      upload: { file, ...declared, isSending: false, problem: null },
      ...{ isWrongFile: false, uploaded: null }
    });
  }

  /** Changes the name or the version of the file to upload. */
  rename(change: Partial<Pick<IUpload, 'name' | 'version'>>): void {
    this._changeUpload(change);
  }

  /** Forgets the file that was chosen. */
  cancelUpload(): void {
    this._sending?.abort();
    this.setState({ upload: null, isWrongFile: false });
  }

  /** Uploads the file. A refusal is its `problem`; `uploaded` is the artifact otherwise. */
  async upload(): Promise<void> {
    const { upload, namespace } = this.state;
    if (upload === null || upload.isSending) {
      return;
    }
    const { signal } = (this._sending = new AbortController());
    this._changeUpload({ isSending: true, problem: null });
    try {
      const { name: artifact, version, file: body } = upload;
      const parameters = { namespace, artifact: artifact.trim(), version: version.trim() };
      const uploaded = await this._catalog.call('uploadArtifact', parameters, { body, signal });
      this.setState({ upload: null, uploaded });
      await this.refresh();
    } catch (reason) {
      if (!signal.aborted) {
        this._changeUpload({ isSending: false, problem: toProblem(reason) });
      }
    }
  }

  /** Deletes a version of an artifact. */
  async delete({ namespace, name: artifact, version }: Artifact): Promise<void> {
    this.setState({ uploaded: null });
    try {
      await this._catalog.call('deleteArtifact', { namespace, artifact, version });
      await this.refresh();
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IArtifactsState>> {
    const namespaces = await this._listNamespaces(signal);
    const chosen = [this.state.namespace, DEFAULT_NAMESPACE].find(name => namespaces.includes(name));
    const namespace = chosen ?? namespaces[0] ?? '';
    if (namespace === '') {
      return { namespaces, namespace, artifacts: [] };
    }
    const [artifacts, missing] = await Promise.all([
      this._listArtifacts(namespace, signal),
      this._findMissingRight(namespace, signal)
    ]);
    return { namespaces, namespace, artifacts, missing };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const { namespace } = this.state;
    if (changes.some(change => change.type === 'namespace' || isOfArtifact(change, namespace))) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  private async _listNamespaces(signal: AbortSignal): Promise<string[]> {
    const entities = await readPages(async cursor => {
      const query = { type: 'namespace', limit: LIMIT, ...cursor };
      const page = await this._catalog.call('listEntities', query, { signal });
      return [page.entities, page.cursor];
    });
    return entities.map(({ name }) => name).sort();
  }

  private _listArtifacts(namespace: string, signal: AbortSignal): Promise<Artifact[]> {
    return readPages(async cursor => {
      const page = await this._catalog.call('listArtifacts', { namespace, limit: LIMIT, ...cursor }, { signal });
      return [page.artifacts, page.cursor];
    });
  }

  /** Asks first, since a refused request is an entry of the audit. */
  private async _findMissingRight(namespace: string, signal: AbortSignal): Promise<IMissingRight | null> {
    const urn = `urn:li:namespace:${namespace}`;
    const answers = await Promise.all(
      NEEDED.map(permission => this._catalog.call('readAccess', { urn, permission }, { signal }))
    );
    return answers.find(({ allowed }) => !allowed) ?? null;
  }

  private _changeUpload(change: Partial<IUpload>): void {
    const { upload } = this.state;
    if (upload !== null) {
      this.setState({ upload: { ...upload, ...change } });
    }
  }

  private _sending: AbortController | null = null;
}

function isOfArtifact({ namespace: of, urn }: Change, namespace: string): boolean {
  return of === namespace && urn.startsWith('urn:li:custom:(artifact,');
}

/** Reads all pages of a list. */
async function readPages<T>(
  readPage: (cursor: { cursor?: string }) => Promise<[readonly T[], string | null | undefined]>
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const [page, next] = await readPage(cursor ? { cursor } : {});
    items.push(...page);
    cursor = next;
  } while (cursor);
  return items;
}
