import React from 'react';

/** Tags as chips; system tags have a dashed border. */
export function TagList(props: {
  tags: readonly string[];
  label: string;
  byMachines?: boolean;
  /** What the values are. */
  kind?: 'tag' | 'term' | 'domain';
}): React.JSX.Element | null {
  const { tags, label, byMachines = false, kind = 'tag' } = props;
  if (tags.length === 0) {
    return null;
  }
  return (
    <ul className="jp-Colophon-tags" aria-label={label} title={byMachines || kind !== 'tag' ? label : undefined}>
      {tags.map(tag => (
        <li key={tag} className="jp-Colophon-tag" data-kind={kind} data-scope={byMachines ? 'SYSTEM' : undefined}>
          {tag}
        </li>
      ))}
    </ul>
  );
}
