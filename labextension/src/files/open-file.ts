import { Notification } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { getLastPart } from '../components/labels';
import { notifyError } from '../components/notify';
import { findFileEntity, isNotebookPath } from '../model/notebooks/file-entity';
import { toProblem } from '../model/problem';
import type { IMetadataService } from '../tokens';

/** The view of a file. */
export type FileView = 'page' | 'lineage';

/** How long a notification with instructions is shown, in ms. */
const SHOWN_MS = 15_000;

/** Shows that nothing is recorded about a file, and how to record it. JupyterLab cuts texts after 140 characters. */
function notifyMissing(path: string, openSearch: () => void, trans: TranslationBundle): void {
  const name = getLastPart(path);
  const advice = isNotebookPath(path)
    ? trans.__('It is recorded when a cell reads or writes data with Spark.')
    : trans.__('Read or write it with Spark, or describe it with “%metadata set”.');
  Notification.info([trans.__('Nothing is recorded about “%1”.', name), advice].join('\n'), {
    autoClose: SHOWN_MS,
    actions: [{ label: trans.__('Search metadata'), callback: openSearch }]
  });
}

/** Opens the page or the lineage graph of a file or notebook; a notification shows if nothing is recorded about it. */
export async function openFile(
  path: string,
  view: FileView,
  { metadata, openSearch, trans }: { metadata: IMetadataService; openSearch: () => void; trans: TranslationBundle }
): Promise<void> {
  try {
    const entity = await findFileEntity(metadata, PageConfig.getOption('serverRoot'), path);
    if (entity === null) {
      notifyMissing(path, openSearch, trans);
    } else if (view === 'page') {
      metadata.openEntity(entity.page);
    } else {
      metadata.openLineage(entity.lineage);
    }
  } catch (reason) {
    notifyError(trans.__('The metadata of “%1” cannot be read.', path), toProblem(reason).message);
  }
}
