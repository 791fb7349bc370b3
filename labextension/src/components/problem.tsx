import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { CatalogProblem } from '../model/problem';

function headline(problem: CatalogProblem, trans: TranslationBundle): string {
  switch (problem.kind) {
    case 'no-extension':
      return trans.__('The server part of Jupyter Colophon is missing');
    case 'unreachable':
      return trans.__('The server cannot be reached');
    case 'denied':
      return trans.__('You may not do this');
    case 'absent':
      return trans.__('Not in the catalog');
    case 'conflict':
      return trans.__('Somebody else was faster');
    case 'invalid':
      return trans.__('The server did not accept this');
    case 'store':
      return trans.__("The catalog's store cannot do this now");
    case 'unsure':
      return trans.__('It is not known whether this was done');
    case 'other':
      return trans.__('This did not work');
  }
}

function advice(problem: CatalogProblem, trans: TranslationBundle): string {
  switch (problem.kind) {
    case 'no-extension':
      return trans.__(
        'Install the package jupyter-colophon in the environment of this Jupyter server and restart it. The command "jupyter server extension list" shows whether it is there.'
      );
    case 'unreachable':
      return trans.__('Is it still running? While their kernels run, notebooks keep what they have not sent yet.');
    case 'unsure':
      return trans.__('Look at it again before you repeat it. (%1)', problem.message);
    default:
      return problem.message;
  }
}

/** A failure in words a person can act on. */
export function ProblemNote(props: {
  problem: CatalogProblem;
  trans: TranslationBundle;
  retry?: () => void;
}): React.JSX.Element {
  const { problem, trans, retry } = props;
  return (
    <div className="jp-Colophon-problem" role="alert" data-kind={problem.kind}>
      <strong>{headline(problem, trans)}</strong>
      <p>{advice(problem, trans)}</p>
      {problem.faults.length > 0 && (
        <ul>
          {problem.faults.map((fault, index) => (
            <li key={index}>
              {fault.pointer !== '' && <code>{fault.pointer}</code>} {fault.message}
            </li>
          ))}
        </ul>
      )}
      {retry && (
        <button type="button" className="jp-Colophon-button" onClick={retry}>
          {trans.__('Try again')}
        </button>
      )}
    </div>
  );
}
