import type { IAppearance } from './card-layer';
import type { IScene } from './scene';

/** The colours of the current theme. */
export interface IPalette {
  edge: string;
  selected: string;
  node: string;
  surface: string;
  text: string;
  added: string;
  removed: string;
  changed: string;
  /** The colours of categories of nodes. */
  series: readonly string[];
  font: string;
}

/** The CSS variables of the colours of categories. */
const SERIES = [
  '--jp-brand-color1',
  '--jp-success-color1',
  '--jp-warn-color1',
  '--jp-error-color1',
  '--jp-info-color1',
  '--jp-accent-color1',
  '--jp-border-color0'
];

/** Reads the colours of the current theme. */
export function readPalette(element: Element): IPalette {
  const style = getComputedStyle(element);
  const readVariable = (name: string): string => style.getPropertyValue(name).trim() || style.color;
  return {
    edge: readVariable('--jp-ui-font-color2'),
    selected: readVariable('--jp-brand-color1'),
    node: readVariable('--jp-border-color0'),
    surface: readVariable('--jp-layout-color1'),
    text: readVariable('--jp-ui-font-color1'),
    added: readVariable('--jp-success-color0'),
    removed: readVariable('--jp-error-color0'),
    changed: readVariable('--jp-warn-color0'),
    series: SERIES.map(readVariable),
    font: style.fontFamily || 'sans-serif'
  };
}

/** Converts a CSS colour, such as a variable of the theme, for a canvas or a file. */
function resolveColour(element: HTMLElement, colour: string): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  element.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

/** Returns the colours of nodes by URN: those of marks of extensions, else those of their categories. */
export function resolveFills(
  { nodes }: IScene,
  { colours, marks }: IAppearance,
  palette: IPalette,
  element: HTMLElement
): Map<string, string> {
  const resolved = new Map([...new Set(marks.values())].map(colour => [colour, resolveColour(element, colour)]));
  return new Map(
    [...nodes.keys()].flatMap((urn): [string, string][] => {
      const fill = resolved.get(marks.get(urn) ?? '') ?? palette.series[colours.get(urn) ?? -1];
      return fill === undefined ? [] : [[urn, fill]];
    })
  );
}
