import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { useModel } from '../../components/use-model';
import { formatTime } from '../../components/labels';
import type { IComparison } from './comparison';
import { IconButton } from './icons';
import type { LineageModel } from './model';
import { toLocalTime } from './options';

/** The number of steps of the slider, and of its play. */
const STEPS = 200;
const PLAY_STEPS = 20;
const PLAY_PAUSE_MS = 500;
const DRAG_PAUSE_MS = 200;

interface ITimelineProps {
  model: LineageModel;
  trans: TranslationBundle;
}

/** Moves the time of the graph from the first run to now, while it plays. */
function usePlay(model: LineageModel): [boolean, (isPlaying: boolean) => void] {
  const [isPlaying, setPlaying] = React.useState(false);
  React.useEffect(() => {
    let isStopped = !isPlaying;
    const play = async (): Promise<void> => {
      const [first, last] = model.state.timeRange ?? [0, 0];
      const start = model.state.options.asOf === '' ? first : Date.parse(model.state.options.asOf);
      for (let time = start; !isStopped && time < last; time += Math.max(1, (last - first) / PLAY_STEPS)) {
        await model.setOptions({ asOf: toLocalTime(Math.round(time)) });
        await new Promise(resolve => window.setTimeout(resolve, PLAY_PAUSE_MS));
      }
      if (!isStopped) {
        await model.setOptions({ asOf: '' });
        setPlaying(false);
      }
    };
    if (isPlaying) {
      void play();
    }
    return () => {
      isStopped = true;
    };
  }, [isPlaying, model]);
  return [isPlaying, setPlaying];
}

function Slider({ model, trans }: ITimelineProps): React.JSX.Element {
  const { timeRange, options } = useModel(model);
  const [first, last] = timeRange ?? [0, 0];
  const time = options.asOf === '' ? last : Date.parse(options.asOf);
  const step = Math.max(1, (last - first) / STEPS);
  const [dragged, setDragged] = React.useState<number | null>(null);
  React.useEffect(() => {
    if (dragged === null) {
      return;
    }
    const timer = window.setTimeout(() => {
      setDragged(null);
      void model.setOptions({ asOf: dragged >= STEPS ? '' : toLocalTime(Math.round(first + dragged * step)) });
    }, DRAG_PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [dragged, model, first, step]);
  const shown = dragged === null ? time : first + dragged * step;
  const text = shown >= last - step / 2 ? trans.__('now') : formatTime(new Date(shown).toISOString());
  return (
    <>
      <input
        type="range"
        aria-label={trans.__('As of')}
        aria-valuetext={text}
        min={0}
        max={STEPS}
        value={dragged ?? Math.round((time - first) / step)}
        disabled={timeRange === null}
        onChange={event => setDragged(Number(event.target.value))}
      />
      <output>{text}</output>
    </>
  );
}

/** The numbers of edges that differ between two times. */
function Differences(props: { comparison: IComparison; trans: TranslationBundle }): React.JSX.Element {
  const { comparison, trans } = props;
  const { added, removed, changed } = comparison.answer;
  return (
    <span role="status" className="jp-Colophon-comparison">
      <span data-mark="added">{trans._n('+ %1 added', '+ %1 added', added.length)}</span>{' '}
      <span data-mark="removed">{trans._n('× %1 removed', '× %1 removed', removed.length)}</span>{' '}
      <span data-mark="changed">{trans._n('△ %1 changed', '△ %1 changed', changed.length)}</span>
    </span>
  );
}

/** The time of the graph, with a slider and play, and a time to compare with. */
export function Timeline({ model, trans }: ITimelineProps): React.JSX.Element {
  const { options, comparison, timeRange } = useModel(model);
  const [isPlaying, setPlaying] = usePlay(model);
  return (
    <div className="jp-Colophon-timeline" role="group" aria-label={trans.__('Timeline')}>
      <IconButton
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? trans.__('Pause') : trans.__('Play')}
        title={trans.__('Play how the graph came to be')}
        disabled={timeRange === null}
        onClick={() => setPlaying(!isPlaying)}
      />
      <Slider model={model} trans={trans} />
      <label title={trans.__('The lineage as it was known at this time; empty for now')}>
        {trans.__('As of')}
        <input
          type="datetime-local"
          data-control="asOf"
          value={options.asOf.slice(0, 16)}
          onChange={event => void model.setOptions({ asOf: event.target.value })}
        />
      </label>
      <label title={trans.__('Mark the edges that were added, removed and changed since this time')}>
        {trans.__('Compare with')}
        <input
          type="datetime-local"
          data-control="since"
          value={options.since.slice(0, 16)}
          onChange={event => void model.setOptions({ since: event.target.value })}
        />
      </label>
      {comparison && <Differences comparison={comparison} trans={trans} />}
    </div>
  );
}
