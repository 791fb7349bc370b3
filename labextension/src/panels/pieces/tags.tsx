import React from 'react';

/** Tags as chips. */
export function TagList(props: { tags: readonly string[]; label: string }): React.JSX.Element | null {
  const { tags, label } = props;
  if (tags.length === 0) {
    return null;
  }
  return (
    <ul className="jp-Colophon-tags" aria-label={label}>
      {tags.map(tag => (
        <li key={tag} className="jp-Colophon-tag">
          {tag}
        </li>
      ))}
    </ul>
  );
}
