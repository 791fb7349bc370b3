import type { TranslationBundle } from '@jupyterlab/translation';
import { downloadFile } from '../../components/download-file';
import { exportSvg } from '../../lineage/svg';
import { createMeasure } from '../../lineage/text-width';
import type { LineageView } from '../../lineage/view';
import { shortenUrn } from '../../model/urns';
import type { ILineageDecoration } from '../../tokens';
import { createAppearance } from './appearance';
import { convertToPng, createDocument } from './exports';
import { createLabels } from './labels';
import type { IMenuItem } from './menu';
import type { LineageModel } from './model';
import { formatMagic } from './options';

interface IExportContext {
  model: LineageModel;
  /** The drawing, whose font and colours files have. */
  view: LineageView | null;
  decorations: readonly ILineageDecoration[];
  /** Copies a text to the clipboard. */
  copy: (text: string) => void;
  /** Returns the link that opens a view of an entity. */
  createLink: (urn: string, view: string) => string;
  trans: TranslationBundle;
}

/** Draws what the panel shows as an SVG file. */
function drawSvg({ model, view, decorations, trans }: IExportContext): string {
  const { state } = model;
  const name = shortenUrn(model.urn);
  const family = getComputedStyle(view?.host ?? document.body).fontFamily || 'sans-serif';
  return exportSvg(state.scene, {
    title: trans.__('Lineage of %1', name),
    labels: createLabels(name, trans),
    family,
    measure: createMeasure(family),
    appearance: createAppearance(state, decorations, Date.now(), trans),
    fills: view?.fills ?? new Map<string, string>(),
    marks: state.comparison?.marks ?? new Map<string, never>(),
    path: state.path && state.path.count > 0 ? state.path.ids : null
  });
}

/** Creates the items of the menu that exports the graph. */
export function createExports(context: IExportContext): IMenuItem[] {
  const { model, copy, createLink, trans } = context;
  const name = `lineage-${shortenUrn(model.urn)}`;
  return [
    {
      label: trans.__('Save as SVG'),
      onClick: () => downloadFile(`${name}.svg`, new Blob([drawSvg(context)], { type: 'image/svg+xml' }))
    },
    {
      label: trans.__('Save as PNG'),
      onClick: () => void convertToPng(drawSvg(context)).then(picture => downloadFile(`${name}.png`, picture))
    },
    {
      label: trans.__('Save as JSON'),
      onClick: () => {
        const { whole, options, comparison } = model.state;
        const text = JSON.stringify(createDocument(whole, options, comparison), null, 2);
        downloadFile(`${name}.json`, new Blob([text], { type: 'application/json' }));
      }
    },
    {
      label: trans.__('Save as OpenLineage'),
      onClick: () =>
        void model.exportRunEvents().then(lines => {
          if (lines !== null) {
            downloadFile(`${name}.ndjson`, new Blob([lines], { type: 'application/x-ndjson' }));
          }
        })
    },
    {
      label: trans.__('Copy link to this view'),
      onClick: () => copy(createLink(model.urn, model.view))
    },
    {
      label: trans.__('Copy as %metadata'),
      onClick: () => copy(formatMagic(model.urn, model.state.options))
    }
  ];
}
