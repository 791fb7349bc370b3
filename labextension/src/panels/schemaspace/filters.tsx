import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { InstanceSort } from '../../tokens';
import { useModel } from '../../components/use-model';
import type { IInstancesState, InstancesModel, Validity } from './instances';
import type { Space } from './model';

const INITIAL_TAGS = 6;

interface IFilterProps {
  space: Space;
  model: InstancesModel;
  trans: TranslationBundle;
}

/** Lists the tags to offer: selected ones, then the most frequent ones. */
function listTags(state: IInstancesState): { name: string; count: number }[] {
  const counted = new Set(state.tagCounts.map(tag => tag.name));
  const uncounted = [...state.tags].filter(tag => !counted.has(tag)).map(name => ({ name, count: 0 }));
  const byUse = [...state.tagCounts].sort((left, right) => right.count - left.count);
  return [...uncounted, ...byUse];
}

function Tags({ model, space, trans }: IFilterProps): React.JSX.Element | null {
  const state = useModel(model);
  const [all, setAll] = React.useState(false);
  const tags = listTags(state);
  if (tags.length === 0) {
    return null;
  }
  const shown = tags.filter((tag, index) => all || index < INITIAL_TAGS || state.tags.has(tag.name));
  const more = tags.length - shown.length;
  return (
    <div role="group" className="jp-Colophon-tags" aria-label={trans.__('Tags of %1', space.display_name)}>
      {shown.map(tag => (
        <button
          key={tag.name}
          type="button"
          className="jp-Colophon-tag jp-Colophon-toggle-tag"
          aria-pressed={state.tags.has(tag.name)}
          onClick={() => model.toggleTag(tag.name)}
        >
          {tag.name} <span className="jp-Colophon-tagCount">{tag.count}</span>
        </button>
      ))}
      {(more > 0 || all) && tags.length > INITIAL_TAGS && (
        <button type="button" className="jp-Colophon-link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? trans.__('Fewer tags') : trans._n('%1 more tag', '%1 more tags', more)}
        </button>
      )}
    </div>
  );
}

function FilterSelect<V extends string>(props: {
  label: string;
  value: V;
  options: readonly (readonly [V, string])[];
  select: (value: V) => void;
}): React.JSX.Element {
  const { label, value, options, select } = props;
  return (
    <select
      className="jp-Colophon-select"
      aria-label={label}
      title={label}
      value={value}
      onChange={event => select(event.target.value as V)}
    >
      {options.map(([option, label]) => (
        <option key={option} value={option}>
          {label}
        </option>
      ))}
    </select>
  );
}

function FilterSelects({ space, model, trans }: IFilterProps): React.JSX.Element {
  const state = useModel(model);
  const sorts: readonly (readonly [InstanceSort, string])[] = [
    ['display_name', trans.__('A to Z')],
    ['-display_name', trans.__('Z to A')],
    ['-time', trans.__('Newest')],
    ['schema_name', trans.__('By schema')]
  ];
  const validities: readonly (readonly [Validity, string])[] = [
    ['all', trans.__('All')],
    ['valid', trans.__('Valid')],
    ['invalid', trans.__('Invalid')]
  ];
  const titles = new Map(space.schemas.map(schema => [schema.name, schema.title]));
  const names = [...new Set([...state.schemaCounts.map(schema => schema.name), ...titles.keys()])];
  const schemas = names.map(name => [name, titles.get(name) ?? name] as const);
  return (
    <div className="jp-Colophon-selects">
      <FilterSelect
        label={trans.__('Order of %1', space.display_name)}
        value={state.sort}
        options={sorts}
        select={sort => model.sortBy(sort)}
      />
      <FilterSelect
        label={trans.__('Validity in %1', space.display_name)}
        value={state.validity}
        options={validities}
        select={validity => model.filterByValidity(validity)}
      />
      {schemas.length > 1 && (
        <FilterSelect
          label={trans.__('Schema in %1', space.display_name)}
          value={state.schema}
          options={[['', trans.__('All schemas')], ...schemas]}
          select={schema => model.filterBySchema(schema)}
        />
      )}
    </div>
  );
}

/** The filters and the order of the instances of a schemaspace. */
export function Filters(props: IFilterProps): React.JSX.Element {
  const { space, model, trans } = props;
  const state = useModel(model);
  return (
    <div className="jp-Colophon-filters">
      <input
        type="search"
        className="jp-mod-styled"
        aria-label={trans.__('Filter %1', space.display_name)}
        placeholder={trans.__('Name, description or tag')}
        spellCheck={false}
        autoComplete="off"
        maxLength={200}
        value={state.text}
        onChange={event => model.setText(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') {
            void model.refresh();
          }
        }}
      />
      <FilterSelects {...props} />
      <Tags {...props} />
    </div>
  );
}
