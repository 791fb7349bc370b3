import type { JupyterFrontEnd } from '@jupyterlab/application';
import { CommandIDs } from '../commands';
import { parseInstanceUrn } from '../model/urns';
import type { IMetadataService } from '../tokens';

/** How views open each other: by commands, so that they do not depend on each other. */
type Openers = Pick<IMetadataService, 'openEntity' | 'previewEntity' | 'openLineage' | 'openInstance' | 'openCell'>;

/** The prefix of the URNs of runs. */
const RUN_URN = 'urn:li:dataProcessInstance:';

function getOpenCommandId(urn: string): string {
  return urn.startsWith(RUN_URN) ? CommandIDs.openRun : CommandIDs.openEntity;
}

/** Creates functions that open pages and graphs by their commands. */
export function createOpeners(commands: JupyterFrontEnd['commands']): Openers {
  return {
    openEntity: urn => void commands.execute(getOpenCommandId(urn), { urn }),
    previewEntity: urn => void commands.execute(getOpenCommandId(urn), { urn, preview: true }),
    openLineage: (urn, view) =>
      void commands.execute(CommandIDs.openLineage, { urn, ...(view === undefined ? {} : { view }) }),
    openInstance: urn => {
      const instance = parseInstanceUrn(urn);
      if (instance !== null) {
        void commands.execute(CommandIDs.openInstance, { ...instance });
      }
    },
    openCell: place => void commands.execute(CommandIDs.openCell, { ...place })
  };
}
