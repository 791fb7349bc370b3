import React from 'react';

/** Tags as chips; those of machines are dashed, as all that machines wrote. */
export function TagList(props: {
  tags: readonly string[];
  label: string;
  byMachines?: boolean;
}): React.JSX.Element | null {
  const { tags, label, byMachines = false } = props;
  if (tags.length === 0) {
    return null;
  }
  return (
    <ul className="jp-Colophon-tags" aria-label={label} title={byMachines ? label : undefined}>
      {tags.map(tag => (
        <li key={tag} className="jp-Colophon-tag" data-scope={byMachines ? 'SYSTEM' : undefined}>
          {tag}
        </li>
      ))}
    </ul>
  );
}
