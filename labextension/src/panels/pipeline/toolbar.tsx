import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { downloadFile } from '../../components/download-file';
import { SourceText } from '../../components/source-text';
import { useModel } from '../../components/use-model';
import type { StagePlace } from '../../model/pipelines/pipeline-draft';
import type { IWorkbench } from './workbench';

const ZOOM_STEP = 1.25;
const [MIN_ZOOM, MAX_ZOOM] = [0.4, 1.6];

interface IToolbarProps {
  bench: IWorkbench;
  zoom: number;
  setZoom: (zoom: number) => void;
  pick: (place: StagePlace) => void;
  trans: TranslationBundle;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0));
}

/** Downloads the pipeline as a package, and shows the command that runs it. */
function Export({ bench, trans }: Pick<IToolbarProps, 'bench' | 'trans'>): React.JSX.Element {
  const [command, setCommand] = React.useState('');
  const download = async (): Promise<void> => {
    const result = await bench.runs.createPackage();
    setCommand(result?.command ?? '');
    if (result) {
      downloadFile(result.file, new Blob([decodeBase64(result.content)], { type: 'application/zip' }));
    }
  };
  return (
    <>
      <button
        type="button"
        className="jp-Colophon-button"
        disabled={bench.stages.length === 0}
        onClick={() => void download()}
      >
        {trans.__('Export for spark-submit')}
      </button>
      {command !== '' && (
        <div className="jp-Colophon-submitCommand" role="status">
          <p>{trans.__('The package was downloaded. Unpack it, and run it with this command:')}</p>
          <SourceText label={trans.__('Command')} text={command} />
        </div>
      )}
    </>
  );
}

function Zoom({ zoom, setZoom, trans }: Pick<IToolbarProps, 'zoom' | 'setZoom' | 'trans'>): React.JSX.Element {
  const scale = (factor: number): void => setZoom(Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom * factor)));
  return (
    <>
      <button
        type="button"
        className="jp-Colophon-iconButton"
        aria-label={trans.__('Zoom out')}
        title={trans.__('Zoom out')}
        onClick={() => scale(1 / ZOOM_STEP)}
      >
        −
      </button>
      <button
        type="button"
        className="jp-Colophon-iconButton"
        aria-label={trans.__('Zoom in')}
        title={trans.__('Zoom in')}
        onClick={() => scale(ZOOM_STEP)}
      >
        +
      </button>
    </>
  );
}

/** The actions on the whole pipeline. */
export function Toolbar(props: IToolbarProps): React.JSX.Element {
  const { bench, pick, trans } = props;
  const { canUndo, canRedo, check } = useModel(bench.model);
  const count = bench.errors.length;
  return (
    <div className="jp-Colophon-pipelineToolbar" role="toolbar" aria-label={trans.__('Pipeline')}>
      {!bench.readOnly && (
        <>
          <button type="button" className="jp-Colophon-button" onClick={() => pick({})}>
            {trans.__('Add a stage')}
          </button>
          <button type="button" className="jp-Colophon-button" disabled={!canUndo} onClick={() => bench.model.undo()}>
            {trans.__('Undo')}
          </button>
          <button type="button" className="jp-Colophon-button" disabled={!canRedo} onClick={() => bench.model.redo()}>
            {trans.__('Redo')}
          </button>
        </>
      )}
      <Export bench={bench} trans={trans} />
      <Zoom {...props} />
      <span role="status" className="jp-Colophon-note">
        {count > 0 ? trans._n('%1 error', '%1 errors', count) : check?.valid === true ? trans.__('Valid') : ''}
      </span>
    </div>
  );
}
