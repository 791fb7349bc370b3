import type { JupyterFrontEnd } from '@jupyterlab/application';
import { CommandIDs } from '../commands';

/** What one view opens of another: each by the command that does it, so that nobody needs to know who offers it. */
interface IOpeners {
  /** Opens the page of an entity, or of a run. */
  openEntity(urn: string): void;
  openLineage(urn: string): void;
  /** Opens the editor of an instance of a schemaspace. */
  openInstance(urn: string): void;
}

/** Schemaspace and name in the URN of an instance. */
const INSTANCE_URN = /^urn:li:instance:\(([^,()]+),([^,()]+)\)$/;

/** What URNs of runs begin with. */
const RUN_URN = 'urn:li:dataProcessInstance:';

/** Opens pages and graphs by their commands. */
export function openersOf(commands: JupyterFrontEnd['commands']): IOpeners {
  return {
    openEntity: urn =>
      void commands.execute(urn.startsWith(RUN_URN) ? CommandIDs.openRun : CommandIDs.openEntity, { urn }),
    openLineage: urn => void commands.execute(CommandIDs.openLineage, { urn }),
    openInstance: urn => {
      const [, space, name] = INSTANCE_URN.exec(urn) ?? [];
      if (space !== undefined && name !== undefined) {
        void commands.execute(CommandIDs.openInstance, { space, name });
      }
    }
  };
}
