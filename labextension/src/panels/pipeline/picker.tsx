import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { StagePlace, StagePlugin } from '../../model/pipelines/pipeline-draft';
import { hasOutput, takesInput } from '../../model/pipelines/pipeline-draft';
import { getStageTypeLabel } from './labels';

/** The types of stages, in the order of a pipeline. */
const TYPES = ['source', 'transform', 'joiner', 'aggregator', 'sink', 'action'];

/** Returns the plugins that can be used at a place and match all words of a search, in the order of their types. */
function findPlugins(plugins: readonly StagePlugin[], place: StagePlace, text: string): StagePlugin[] {
  const words = text.toLowerCase().split(/\s+/);
  const fits = (plugin: StagePlugin): boolean =>
    (place.from === undefined || takesInput(plugin)) && (place.to === undefined || hasOutput(plugin));
  const matches = ({ type, name, title, description }: StagePlugin): boolean => {
    const all = `${type} ${name} ${title} ${description}`.toLowerCase();
    return words.every(word => all.includes(word));
  };
  return plugins
    .filter(plugin => fits(plugin) && matches(plugin))
    .sort((a, b) => TYPES.indexOf(a.type) - TYPES.indexOf(b.type));
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function getTitle({ from, to }: StagePlace, trans: TranslationBundle): string {
  if (from !== undefined && to !== undefined) {
    return trans.__('Insert a stage between %1 and %2', from, to);
  }
  return from === undefined ? trans.__('Add a stage') : trans.__('Add a stage after %1', from);
}

/** A dialog that chooses the plugin of a new stage: a search box with a list of plugins. */
export function PluginPicker(props: {
  plugins: readonly StagePlugin[];
  place: StagePlace;
  choose: (plugin: StagePlugin) => void;
  close: () => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { plugins, place, choose, close, trans } = props;
  const [text, setText] = React.useState('');
  const [active, setActive] = React.useState(0);
  const list = React.useRef<HTMLUListElement>(null);
  const id = React.useId();
  const found = React.useMemo(() => findPlugins(plugins, place, text), [plugins, place, text]);
  React.useEffect(() => setActive(0), [text]);
  React.useEffect(() => {
    // Some browsers return a promise, which React would take for a function.
    void list.current?.children[active]?.scrollIntoView?.({ block: 'nearest' });
  }, [active]);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = STEPS[event.key];
    const plugin = found[active];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setActive((active + step + found.length) % found.length);
    } else if (event.key === 'Enter') {
      // Enter would save the form around the canvas.
      event.preventDefault();
      if (plugin) {
        choose(plugin);
      }
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
  };
  const title = getTitle(place, trans);
  return (
    <div
      className="jp-Colophon-pluginPicker"
      role="dialog"
      aria-label={title}
      onKeyDown={onKeyDown}
      onBlur={event => !event.currentTarget.contains(event.relatedTarget) && close()}
    >
      <h3>{title}</h3>
      <input
        type="search"
        role="combobox"
        autoFocus
        value={text}
        placeholder={trans.__('Search plugins')}
        aria-label={trans.__('Search plugins')}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        onChange={event => setText(event.target.value)}
      />
      <ul id={id} ref={list} role="listbox" aria-label={trans.__('Plugins')}>
        {found.map((plugin, index) => (
          <li
            key={`${plugin.type} ${plugin.name}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            // The search box keeps the focus.
            onMouseDown={event => event.preventDefault()}
            onClick={() => choose(plugin)}
          >
            <strong>{plugin.title}</strong>
            <span className="jp-Colophon-kind">{getStageTypeLabel(plugin.type, trans)}</span>
            <span className="jp-Colophon-pluginDescription">{plugin.description}</span>
          </li>
        ))}
      </ul>
      <p role="status" className="jp-Colophon-note">
        {found.length === 0 ? trans.__('No plugin matches.') : trans._n('%1 plugin', '%1 plugins', found.length)}
      </p>
    </div>
  );
}
