import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { CatalogProblem } from '../model/problem';

function getHeadline(problem: CatalogProblem, trans: TranslationBundle): string {
  switch (problem.kind) {
    case 'no-extension':
      return trans.__('The Jupyter Colophon server extension is not installed');
    case 'unreachable':
      return trans.__('The server is unavailable');
    case 'denied':
      return trans.__('Permission denied');
    case 'not-found':
      return trans.__('Not found, or you may not read it');
    case 'conflict':
      return trans.__('Edit conflict');
    case 'held':
      return trans.__('Your change waits for review');
    case 'invalid':
      return trans.__('The server rejected the request');
    case 'store':
      return trans.__('The store of the catalog is unavailable');
    case 'commit-unknown':
      return trans.__('Unknown whether the change was saved');
    case 'other':
      return trans.__('The request failed');
  }
}

function getAdvice(problem: CatalogProblem, trans: TranslationBundle): string {
  switch (problem.kind) {
    case 'no-extension':
      return trans.__(
        'Install the package jupyter-colophon in the environment of this Jupyter server and restart the server. The command "jupyter server extension list" shows whether it is enabled.'
      );
    case 'unreachable':
      return trans.__(
        'Check whether the server is running. Running kernels keep unsent lineage until it is available again.'
      );
    case 'held':
      return trans.__('A steward applies or rejects it. The panel Requests shows its state.');
    case 'commit-unknown':
      return trans.__('Check the current value before you try again. (%1)', problem.message);
    default:
      return problem.message;
  }
}

/** An error message with advice on what to do. */
export function ProblemNote(props: {
  problem: CatalogProblem;
  trans: TranslationBundle;
  retry?: () => void;
}): React.JSX.Element {
  const { problem, trans, retry } = props;
  return (
    <div className="jp-Colophon-problem" role="alert" data-kind={problem.kind}>
      <strong>{getHeadline(problem, trans)}</strong>
      <p>{getAdvice(problem, trans)}</p>
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((fault, index) => (
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
