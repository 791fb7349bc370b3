import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { ICalls } from './panel-model';

/** Announces running calls and messages, and shows a failure with *Try again*. */
export function CallStatus(props: {
  calls: ICalls;
  /** What is announced while no call is running. */
  message?: string;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { calls, message = '', trans } = props;
  return (
    <>
      <p role="status" className="jp-Colophon-note">
        {calls.busy ? trans.__('Loading…') : message}
      </p>
      {calls.failure && (
        <div className="jp-Colophon-problem" role="alert">
          <p>{calls.failure.message}</p>
          <button type="button" className="jp-Colophon-button" onClick={calls.failure.retry}>
            {trans.__('Try again')}
          </button>
        </div>
      )}
    </>
  );
}
