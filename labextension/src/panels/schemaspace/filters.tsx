import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { InstanceSort } from '../../tokens';
import { useModel } from '../../components/use-model';
import type { IInstancesState, InstancesModel, Validity } from './instances';
import type { Space } from './model';

const TAGS_AT_FIRST = 6;

interface IFilterProps {
  space: Space;
  model: InstancesModel;
  trans: TranslationBundle;
}

/** Tags to offer: the most used first, and the picked ones whether they are or not. */
function offered(state: IInstancesState): { name: string; count: number }[] {
  const known = new Set(state.tagCounts.map(tag => tag.name));
  const lost = [...state.tags].filter(tag => !known.has(tag)).map(name => ({ name, count: 0 }));
  const byUse = [...state.tagCounts].sort((one, other) => other.count - one.count);
  return [...lost, ...byUse];
}

function Tags({ model, space, trans }: IFilterProps): React.JSX.Element | null {
  const state = useModel(model);
  const [all, setAll] = React.useState(false);
  const tags = offered(state);
  if (tags.length === 0) {
    return null;
  }
  const shown = tags.filter((tag, index) => all || index < TAGS_AT_FIRST || state.tags.has(tag.name));
  const more = tags.length - shown.length;
  return (
    <div role="group" className="jp-Colophon-tags" aria-label={trans.__('Tags of %1', space.display_name)}>
      {shown.map(tag => (
        <button
          key={tag.name}
          type="button"
          className="jp-Colophon-tag jp-Colophon-pick"
          aria-pressed={state.tags.has(tag.name)}
          onClick={() => model.toggleTag(tag.name)}
        >
          {tag.name} <span className="jp-Colophon-tagCount">{tag.count}</span>
        </button>
      ))}
      {(more > 0 || all) && tags.length > TAGS_AT_FIRST && (
        <button type="button" className="jp-Colophon-link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? trans.__('Fewer tags') : trans._n('%1 more tag', '%1 more tags', more)}
        </button>
      )}
    </div>
  );
}

function Choice<V extends string>(props: {
  label: string;
  value: V;
  options: readonly (readonly [V, string])[];
  pick: (value: V) => void;
}): React.JSX.Element {
  const { label, value, options, pick } = props;
  return (
    <select
      className="jp-Colophon-sieve"
      aria-label={label}
      title={label}
      value={value}
      onChange={event => pick(event.target.value as V)}
    >
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  );
}

function Choices({ space, model, trans }: IFilterProps): React.JSX.Element {
  const state = useModel(model);
  const sorts: readonly (readonly [InstanceSort, string])[] = [
    ['display_name', trans.__('A to Z')],
    ['-display_name', trans.__('Z to A')],
    ['-time', trans.__('Newest')],
    ['schema_name', trans.__('By kind')]
  ];
  const validities: readonly (readonly [Validity, string])[] = [
    ['all', trans.__('All')],
    ['valid', trans.__('Valid')],
    ['invalid', trans.__('Not valid')]
  ];
  const titles = new Map(space.schemas.map(schema => [schema.name, schema.title]));
  const names = [...new Set([...state.schemaCounts.map(schema => schema.name), ...titles.keys()])];
  const schemas = names.map(name => [name, titles.get(name) ?? name] as const);
  return (
    <div className="jp-Colophon-sieves">
      <Choice
        label={trans.__('Order of %1', space.display_name)}
        value={state.sort}
        options={sorts}
        pick={sort => model.sortBy(sort)}
      />
      <Choice
        label={trans.__('Validity in %1', space.display_name)}
        value={state.validity}
        options={validities}
        pick={validity => model.showOnly(validity)}
      />
      {schemas.length > 1 && (
        <Choice
          label={trans.__('Kind in %1', space.display_name)}
          value={state.schema}
          options={[['', trans.__('All kinds')], ...schemas]}
          pick={schema => model.ofSchema(schema)}
        />
      )}
    </div>
  );
}

/** What of a schemaspace's instances is shown, and in which order. */
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
        onChange={event => model.type(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') {
            void model.refresh();
          }
        }}
      />
      <Choices {...props} />
      <Tags {...props} />
    </div>
  );
}
