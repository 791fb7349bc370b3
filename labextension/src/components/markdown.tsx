import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import React from 'react';

const MIME_TYPE = 'text/markdown';

/** A text of a user as Markdown, sanitized by JupyterLab; as plain text where JupyterLab cannot render it. */
export function Markdown(props: { text: string; rendermime: IRenderMimeRegistry | null }): React.JSX.Element {
  const { text, rendermime } = props;
  const host = React.useRef<HTMLDivElement>(null);
  const canRender = rendermime?.mimeTypes.includes(MIME_TYPE) === true;
  React.useEffect(() => {
    if (!canRender || host.current === null) {
      return;
    }
    const renderer = rendermime.createRenderer(MIME_TYPE);
    host.current.replaceChildren(renderer.node);
    void renderer.renderModel(rendermime.createModel({ data: { [MIME_TYPE]: text }, trusted: false }));
    return () => renderer.dispose();
  }, [text, rendermime, canRender]);
  return canRender ? (
    <div className="jp-Colophon-markdown" ref={host} />
  ) : (
    <div className="jp-Colophon-text">{text}</div>
  );
}
