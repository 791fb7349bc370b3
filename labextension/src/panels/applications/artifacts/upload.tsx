import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../../components/problem';
import { ShortForm } from '../../../components/short-form';
import { useModel } from '../../../components/use-model';
import { formatBytes } from './format-bytes';
import type { ArtifactsModel, IUpload } from './model';

interface IUploadProps {
  model: ArtifactsModel;
  trans: TranslationBundle;
}

/** The name and the version of a chosen file. Enter uploads it, Escape cancels. */
function UploadForm(props: IUploadProps & { upload: IUpload; returnFocus: () => void }): React.JSX.Element {
  const { model, upload, returnFocus, trans } = props;
  // The form is gone when the file is uploaded, or the upload is cancelled.
  React.useEffect(() => returnFocus, [returnFocus]);
  const { file, name, version, isSending, problem } = upload;
  const title = trans.__('%1, %2', file.name, formatBytes(file.size, trans));
  return (
    <ShortForm
      className="jp-Colophon-newEntry"
      label={trans.__('Upload of %1', file.name)}
      submit={() => void model.upload()}
      close={() => model.cancelUpload()}
    >
      <strong>{title}</strong>
      <label>
        {trans.__('Name')}
        <input
          type="text"
          autoFocus={name === ''}
          required
          spellCheck={false}
          readOnly={isSending}
          value={name}
          onChange={event => model.rename({ name: event.target.value })}
        />
      </label>
      <label>
        {trans.__('Version')}
        <input
          type="text"
          autoFocus={name !== ''}
          required
          spellCheck={false}
          readOnly={isSending}
          value={version}
          onChange={event => model.rename({ version: event.target.value })}
        />
      </label>
      {isSending && (
        <div role="status">
          <progress aria-label={trans.__('Upload of %1', file.name)} />{' '}
          {trans.__('The server receives the file and reads its plugins, without executing it…')}
        </div>
      )}
      {problem && <ProblemNote problem={problem} trans={trans} />}
      <div className="jp-Colophon-actions">
        <button type="submit" className="jp-Colophon-button jp-mod-primary" aria-disabled={isSending}>
          {trans.__('Upload')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={() => model.cancelUpload()}>
          {trans.__('Cancel')}
        </button>
      </div>
    </ShortForm>
  );
}

/** Chooses a file to upload, by a button or by dropping it on the area. */
export function Upload({ model, trans }: IUploadProps): React.JSX.Element {
  const { upload, uploaded, isWrongFile, missing } = useModel(model);
  const [isOver, setOver] = React.useState(false);
  const input = React.useRef<HTMLInputElement>(null);
  const button = React.useRef<HTMLButtonElement>(null);
  const returnFocus = React.useCallback(() => button.current?.focus(), []);
  if (missing !== null) {
    return (
      <p className="jp-Colophon-note">
        {trans.__(
          'You cannot upload or delete artifacts of this namespace: an artifact is code that the server executes, and you do not have the right "%1" (%2).',
          missing.permission,
          missing.reason
        )}
      </p>
    );
  }
  const accept = (event: React.DragEvent): void => {
    if (event.dataTransfer.types.includes('Files')) {
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    }
  };
  return (
    <div
      className="jp-Colophon-artifactDrop"
      data-over={isOver}
      onDragEnter={accept}
      onDragOver={accept}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        void model.chooseFiles([...event.dataTransfer.files]);
      }}
    >
      <div className="jp-Colophon-actions">
        <input
          ref={input}
          type="file"
          hidden
          accept=".whl,.py"
          aria-label={trans.__('Wheel or module')}
          onChange={event => {
            void model.chooseFiles([...(event.target.files ?? [])]);
            // The same file can be chosen again after it was changed.
            event.target.value = '';
          }}
        />
        <button
          ref={button}
          type="button"
          className="jp-Colophon-button"
          disabled={upload?.isSending}
          onClick={() => input.current?.click()}
        >
          {trans.__('Upload a file…')}
        </button>
        <span className="jp-Colophon-note">
          {isOver
            ? trans.__('Drop the file to upload it.')
            : trans.__('A pure Python wheel (.whl) or a module (.py) with plugins. You can also drop it here.')}
        </span>
      </div>
      {isWrongFile && (
        <p className="jp-Colophon-error" role="alert">
          {trans.__('Choose one file whose name ends with .whl or .py.')}
        </p>
      )}
      {upload && <UploadForm model={model} upload={upload} returnFocus={returnFocus} trans={trans} />}
      <p role="status" className="jp-Colophon-note">
        {uploaded &&
          trans.__(
            'Artifact %1 %2 uploaded, with the plugins %3.',
            uploaded.name,
            uploaded.version,
            uploaded.plugins.map(({ name }) => name).join(', ')
          )}
      </p>
    </div>
  );
}
