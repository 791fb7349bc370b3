import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

interface IOpenedSectionProps {
  title: string;
  /** What the section is about; with another subject it gets the focus again. */
  subject: string;
  /** Buttons before that which closes the section. */
  actions?: React.ReactNode;
  close: () => void;
  trans: TranslationBundle;
  children: React.ReactNode;
}

/** A section that the user opens and closes. Its heading gets the focus when it opens. */
export function OpenedSection(props: IOpenedSectionProps): React.JSX.Element {
  const { title, subject, actions, close, trans, children } = props;
  const heading = React.useRef<HTMLHeadingElement>(null);
  React.useEffect(() => heading.current?.focus(), [subject]);
  return (
    <section className="jp-Colophon-card-section" aria-label={title}>
      <div className="jp-Colophon-sectionHead">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <div className="jp-Colophon-actions">
          {actions}
          <button type="button" className="jp-Colophon-button" onClick={close}>
            {trans.__('Close')}
          </button>
        </div>
      </div>
      {children}
    </section>
  );
}
