import { copyIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { formatTime } from '../../../components/labels';
import { useModel } from '../../../components/use-model';
import type { IPageProps } from '../page';

/** All aspects as JSON, as they are stored. */
export function Raw({ page }: IPageProps): React.JSX.Element {
  const { model, actions, getTitle, trans } = page;
  const { entity } = useModel(model);
  return (
    <>
      {Object.values(entity?.aspects ?? {}).map(aspect => {
        const text = JSON.stringify(aspect.value, null, 2);
        return (
          <details key={aspect.name} className="jp-Colophon-recorded" data-aspect-json={aspect.name}>
            <summary aria-label={trans.__('Show JSON of %1', getTitle(aspect.name))}>
              {getTitle(aspect.name)} <code>{aspect.name}</code>
              <span className="jp-Colophon-note">
                {' '}
                {trans.__('Version %1, %2, %3', aspect.version, aspect.actor, formatTime(aspect.time))}
              </span>
            </summary>
            <div className="jp-Colophon-rawJson">
              <button
                type="button"
                className="jp-Colophon-tool"
                title={trans.__('Copy')}
                aria-label={trans.__('Copy JSON of %1', getTitle(aspect.name))}
                onClick={() => actions.copyText(text)}
              >
                <copyIcon.react tag="span" width="14px" />
              </button>
              <pre tabIndex={0} role="group" aria-label={trans.__('JSON of %1', getTitle(aspect.name))}>
                {text}
              </pre>
            </div>
          </details>
        );
      })}
    </>
  );
}
