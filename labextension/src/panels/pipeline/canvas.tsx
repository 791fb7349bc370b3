import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatPath } from '../../lineage/svg';
import type { IPoint } from '../../lineage/layout';
import { NODE_WIDTH } from '../../lineage/layout';
import { getStageLabel } from '../../components/labels';
import type { IConnectionDraft, StagePlace } from '../../model/pipelines/pipeline-draft';
import { findObstacle, hasOutput } from '../../model/pipelines/pipeline-draft';
import type { IDrawnConnection } from './drawing';
import { CARD_HEIGHT, drawPipeline } from './drawing';
import { getObstacleLabel } from './labels';
import type { IStageView, IWorkbench } from './workbench';

const MARGIN = 24;
const PORT_Y = 24;

interface ICanvasProps {
  bench: IWorkbench;
  zoom: number;
  /** Opens the picker for a stage at a place. */
  pick: (place: StagePlace) => void;
  trans: TranslationBundle;
}

function describeStage({ stage, kind, errors, status }: IStageView, trans: TranslationBundle): string {
  const parts = [
    stage.name,
    kind,
    ...(errors.length > 0 ? [trans._n('%1 error', '%1 errors', errors.length)] : []),
    ...(status === undefined ? [] : [getStageLabel(status, trans)])
  ];
  return parts.join(', ');
}

/** Draws a connection from a stage to the pointer, until it is released over another stage. */
interface IDrag {
  from: string;
  at: IPoint;
}

function StageCard(props: {
  view: IStageView;
  at: IPoint;
  bench: IWorkbench;
  isTarget: boolean;
  isFaded: boolean;
  startDrag: (from: string, event: React.PointerEvent) => void;
  pick: (place: StagePlace) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { view, at, bench, isTarget, isFaded, startDrag, pick, trans } = props;
  const { stage, index, kind, errors, columns, status } = view;
  const isSelected = bench.selected === index;
  const isFirst = bench.selected === null && bench.order[0] === index;
  const classes = ['jp-Colophon-pipelineStage', isTarget ? 'jp-mod-target' : '', isFaded ? 'jp-mod-faded' : ''];
  return (
    <li
      className={classes.filter(name => name !== '').join(' ')}
      style={{ left: at.x, top: at.y, width: NODE_WIDTH, height: CARD_HEIGHT }}
      data-stage={stage.name}
      data-type={stage.type}
      data-status={status}
      data-invalid={errors.length > 0}
    >
      <button
        type="button"
        className="jp-Colophon-stageCard"
        aria-label={describeStage(view, trans)}
        aria-pressed={isSelected}
        tabIndex={isSelected || isFirst ? 0 : -1}
        data-index={index}
        onClick={() => bench.model.select(index)}
      >
        <strong>{stage.name}</strong>
        <span>{kind}</span>
        <span className="jp-Colophon-stageState">
          {errors.length > 0 && (
            <span className="jp-Colophon-stageErrors">{trans._n('%1 error', '%1 errors', errors.length)}</span>
          )}
          {status !== undefined && (
            <span className="jp-Colophon-status" data-status={status}>
              {getStageLabel(status, trans)}
            </span>
          )}
          {errors.length === 0 &&
            status === undefined &&
            columns &&
            trans._n('%1 column', '%1 columns', columns.length)}
        </span>
      </button>
      {!bench.readOnly && (
        <>
          <span
            className="jp-Colophon-stagePort"
            title={trans.__('Drag to another stage to connect them')}
            onPointerDown={event => startDrag(stage.name, event)}
          />
          <button
            type="button"
            className="jp-Colophon-stageAdd"
            tabIndex={-1}
            aria-label={trans.__('Add a stage after %1', stage.name)}
            title={trans.__('Add a stage after %1', stage.name)}
            onClick={() => pick({ from: stage.name })}
          >
            +
          </button>
        </>
      )}
    </li>
  );
}

function ConnectionTools(props: {
  connection: IDrawnConnection;
  bench: IWorkbench;
  canInsert: boolean;
  pick: (place: StagePlace) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { connection, bench, canInsert, pick, trans } = props;
  const { from, to, middle } = connection;
  return (
    <span className="jp-Colophon-connectionTools" style={{ left: middle.x, top: middle.y }}>
      {canInsert && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={trans.__('Insert a stage between %1 and %2', from, to)}
          title={trans.__('Insert a stage between %1 and %2', from, to)}
          onClick={() => pick({ from, to })}
        >
          +
        </button>
      )}
      <button
        type="button"
        tabIndex={-1}
        aria-label={trans.__('Remove the connection from %1 to %2', from, to)}
        title={trans.__('Remove the connection from %1 to %2', from, to)}
        onClick={() => bench.model.disconnect({ from, to })}
      >
        ×
      </button>
    </span>
  );
}

/** Returns the index of the stage that a key selects from another one; undefined for other keys. */
function getNeighbour(key: string, { order, stages, connections }: IWorkbench, index: number): number | undefined {
  const name = stages[index]?.stage.name;
  const getIndex = (other: string | undefined): number | undefined =>
    stages.find(({ stage }) => stage.name === other)?.index;
  switch (key) {
    case 'ArrowRight':
      return getIndex(connections.find(({ from }) => from === name)?.to);
    case 'ArrowLeft':
      return getIndex(connections.find(({ to }) => to === name)?.from);
    case 'ArrowDown':
      return order[order.indexOf(index) + 1];
    case 'ArrowUp':
      return order[order.indexOf(index) - 1];
    case 'Home':
      return order[0];
    case 'End':
      return order[order.length - 1];
    default:
      return undefined;
  }
}

/** Returns what a key does with a stage; undefined for other keys. */
function getAction(
  key: string,
  bench: IWorkbench,
  { index, stage }: IStageView,
  pick: (place: StagePlace) => void
): (() => void) | undefined {
  switch (bench.readOnly && key !== 'Escape' ? '' : key) {
    case 'Escape':
      return () => bench.model.select(null);
    case 'Delete':
      return () => bench.model.remove(index);
    case 'Insert':
      return () => pick({ from: stage.name });
    default:
      return undefined;
  }
}

/** Handles the keys of the stages: arrows, Home and End select another one. */
function handleKey(event: React.KeyboardEvent, bench: IWorkbench, pick: (place: StagePlace) => void): void {
  const card = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
  const view = bench.stages[Number(card?.dataset['index'] ?? NaN)];
  if (!view || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const next = getNeighbour(event.key, bench, view.index);
  const action = getAction(event.key, bench, view, pick);
  if (next !== undefined) {
    bench.model.select(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus();
  }
  action?.();
  if (next !== undefined || action) {
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Returns the name of the stage at a point of the window. */
function findStageAt(event: React.PointerEvent): string | undefined {
  const element = document.elementFromPoint(event.clientX, event.clientY);
  return element?.closest<HTMLElement>('[data-stage]')?.dataset['stage'];
}

/** The stages as cards on a drawing of their connections, laid out from left to right. */
export function Canvas({ bench, zoom, pick, trans }: ICanvasProps): React.JSX.Element {
  const { stages, connections, model, plugins } = bench;
  const drawing = React.useMemo(
    () =>
      drawPipeline(
        stages.map(({ stage }) => stage),
        connections
      ),
    [stages, connections]
  );
  const [drag, setDrag] = React.useState<IDrag | null>(null);
  const [refusal, setRefusal] = React.useState('');
  const [target, setTarget] = React.useState<string | undefined>(undefined);
  const surface = React.useRef<HTMLDivElement>(null);

  const toPoint = (event: React.PointerEvent): IPoint => {
    const box = surface.current!.getBoundingClientRect();
    return { x: (event.clientX - box.left) / zoom - MARGIN, y: (event.clientY - box.top) / zoom - MARGIN };
  };
  const startDrag = (from: string, event: React.PointerEvent): void => {
    event.preventDefault();
    surface.current?.setPointerCapture?.(event.pointerId);
    setDrag({ from, at: toPoint(event) });
    setRefusal('');
  };
  const canConnect = (connection: IConnectionDraft): boolean => findObstacle(model.draft, connection, plugins) === null;
  const connect = (connection: IConnectionDraft): void => {
    const obstacle = findObstacle(model.draft, connection, plugins);
    setRefusal(obstacle === null ? '' : getObstacleLabel(obstacle, trans));
    if (obstacle === null) {
      model.connect(connection);
    }
  };
  const onPointerMove = (event: React.PointerEvent): void => {
    if (drag) {
      setDrag({ ...drag, at: toPoint(event) });
      setTarget(findStageAt(event));
    }
  };
  const onPointerUp = (event: React.PointerEvent): void => {
    if (drag) {
      const to = findStageAt(event);
      setDrag(null);
      setTarget(undefined);
      if (to === undefined) {
        pick({ from: drag.from });
      } else {
        connect({ from: drag.from, to });
      }
    }
  };
  const start = drag ? drawing.stages[stages.findIndex(({ stage }) => stage.name === drag.from)] : undefined;
  const [width, height] = [drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN];
  return (
    <>
      <div className="jp-Colophon-pipelineCanvas" role="group" aria-label={trans.__('Canvas')} tabIndex={0}>
        <div style={{ width: width * zoom, height: height * zoom }}>
          <div
            ref={surface}
            className="jp-Colophon-pipelineDrawing"
            style={{ width, height, transform: `scale(${zoom})` }}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={() => setDrag(null)}
          >
            <svg aria-hidden="true" width={width} height={height}>
              <defs>
                <marker
                  id="jp-colophon-tip"
                  viewBox="0 0 8 8"
                  refX="8"
                  refY="4"
                  markerWidth="7"
                  markerHeight="7"
                  orient="auto"
                >
                  <path d="M0 0L8 4L0 8z" />
                </marker>
              </defs>
              <g transform={`translate(${MARGIN} ${MARGIN})`}>
                {drawing.connections.map(({ from, to, curves }, index) => (
                  <path
                    key={index}
                    d={formatPath(curves)}
                    data-flow={stages.some(({ stage }) => stage.name === from && hasOutput(stage))}
                    data-from={from}
                    data-to={to}
                    markerEnd="url(#jp-colophon-tip)"
                  />
                ))}
                {drag && start && (
                  <path
                    className="jp-mod-dragged"
                    d={`M${start.x + NODE_WIDTH} ${start.y + PORT_Y}L${drag.at.x} ${drag.at.y}`}
                  />
                )}
              </g>
            </svg>
            <div className="jp-Colophon-pipelineLayer" style={{ left: MARGIN, top: MARGIN }}>
              <ol
                aria-label={trans.__('Stages')}
                style={{ width: drawing.width, height: drawing.height }}
                onKeyDown={event => handleKey(event, bench, pick)}
              >
                {bench.order.map(index => (
                  <StageCard
                    key={index}
                    view={stages[index]!}
                    at={drawing.stages[index]!}
                    bench={bench}
                    isTarget={drag !== null && target === stages[index]!.stage.name}
                    isFaded={
                      drag !== null &&
                      drag.from !== stages[index]!.stage.name &&
                      !canConnect({ from: drag.from, to: stages[index]!.stage.name })
                    }
                    startDrag={startDrag}
                    pick={pick}
                    trans={trans}
                  />
                ))}
              </ol>
              {!bench.readOnly &&
                drawing.connections.map((connection, index) => (
                  <ConnectionTools
                    key={index}
                    connection={connection}
                    bench={bench}
                    canInsert={stages.some(({ stage }) => stage.name === connection.from && hasOutput(stage))}
                    pick={pick}
                    trans={trans}
                  />
                ))}
            </div>
          </div>
        </div>
      </div>
      <p role="status" className="jp-Colophon-note">
        {refusal}
      </p>
    </>
  );
}
