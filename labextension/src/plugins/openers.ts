import type { JupyterFrontEnd } from '@jupyterlab/application';
import { CommandIDs } from '../commands';
import type { IMetadataService } from '../tokens';

/** How views open each other: by commands, so that they do not depend on each other. */
type Openers = Pick<IMetadataService, 'openEntity' | 'previewEntity' | 'openLineage' | 'openInstance' | 'openCell'>;

/** The schemaspace and the name in the URN of an instance. */
const INSTANCE_URN = /^urn:li:instance:\(([^,()]+),([^,()]+)\)$/;

/** The prefix of the URNs of runs. */
const RUN_URN = 'urn:li:dataProcessInstance:';

function getOpenCommand(urn: string): string {
  return urn.startsWith(RUN_URN) ? CommandIDs.openRun : CommandIDs.openEntity;
}

/** Creates functions that open pages and graphs by their commands. */
export function createOpeners(commands: JupyterFrontEnd['commands']): Openers {
  return {
    openEntity: urn => void commands.execute(getOpenCommand(urn), { urn }),
    previewEntity: urn => void commands.execute(getOpenCommand(urn), { urn, preview: true }),
    openLineage: urn => void commands.execute(CommandIDs.openLineage, { urn }),
    openInstance: urn => {
      const [, space, name] = INSTANCE_URN.exec(urn) ?? [];
      if (space !== undefined && name !== undefined) {
        void commands.execute(CommandIDs.openInstance, { space, name });
      }
    },
    openCell: place => void commands.execute(CommandIDs.openCell, { ...place })
  };
}
