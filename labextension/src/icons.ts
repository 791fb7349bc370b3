import { LabIcon } from '@jupyterlab/ui-components';

/** A tag with a line to its origin. */
export const metadataIcon = new LabIcon({
  name: 'colophon:metadata',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M3 4.5A1.5 1.5 0 0 1 4.5 3h7.1a2 2 0 0 1 1.4.6l7.4 7.4a2 2 0 0 1 0 2.8l-6.6 6.6a2 2 0 0 1-2.8 0L3.6 13A2 2 0 0 1 3 11.600zM5 5v6.600l7.400 7.400 6.600-6.600L11.600 5zm3 1.500a1.600 1.600 0 1 1 0 3.200 1.600 1.600 0 0 1 0-3.200z"/>
</svg>`
});

/** Three nodes connected by two lines. */
export const lineageIcon = new LabIcon({
  name: 'colophon:lineage',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M3 4h6v5H7v2h5a2 2 0 0 1 2 2v1h1v-2.500h6v6h-6V16h-1a2 2 0 0 1-2-2v-1H7v2h2v5H3v-5h2V9H3zm2 2v1h2V6zm12 7.500v2h2v-2zM5 17v1h2v-1z"/>
</svg>`
});

/** Braces around two lines: documents that follow a schema. */
export const schemaspacesIcon = new LabIcon({
  name: 'colophon:schemaspaces',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M9 4v2H8a1 1 0 0 0-1 1v2.500A2.500 2.500 0 0 1 5.500 12 2.500 2.500 0 0 1 7 14.500V17a1 1 0 0 0 1 1h1v2H8a3 3 0 0 1-3-3v-2.500A1.500 1.500 0 0 0 3.500 13H3v-2h.500A1.500 1.500 0 0 0 5 9.500V7a3 3 0 0 1 3-3zm6 0h1a3 3 0 0 1 3 3v2.500a1.500 1.500 0 0 0 1.500 1.500h.500v2h-.500a1.500 1.500 0 0 0-1.500 1.500V17a3 3 0 0 1-3 3h-1v-2h1a1 1 0 0 0 1-1v-2.500a2.500 2.500 0 0 1 1.500-2.500A2.500 2.500 0 0 1 17 9.500V7a1 1 0 0 0-1-1h-1zM9.500 9h5v2h-5zm0 4h5v2h-5z"/>
</svg>`
});

/** A grid of rows and columns. */
const datasetIcon = new LabIcon({
  name: 'colophon:dataset',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M3 4h18v16H3zm2 2v3h14V6zm0 5v3h4v-3zm6 0v3h8v-3zm-6 5v2h4v-2zm6 0v2h8v-2z"/>
</svg>`
});

/** A prompt in a window. */
const programIcon = new LabIcon({
  name: 'colophon:program',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M3 4h18v16H3zm2 2v12h14V6zm1.500 2.400L8 7l4 4-4 4-1.500-1.400L9.100 11zM12 14h5v2h-5z"/>
</svg>`
});

/** One highlighted column of a table. */
const columnIcon = new LabIcon({
  name: 'colophon:column',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M3 4h18v16H3zm2 2v12h3V6zm5 0v12h4V6zm6 0v12h3V6zm-5 2h2v8h-2z"/>
</svg>`
});

/** A triangle in a circle. */
const runIcon = new LabIcon({
  name: 'colophon:run',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm-2 3.500 6 3.500-6 3.500z"/>
</svg>`
});

/** A folder. */
const namespaceIcon = new LabIcon({
  name: 'colophon:namespace',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M3 5h7l2 2h9v12H3zm2 2v10h14V9h-7.800l-2-2z"/>
</svg>`
});

/** Connected boxes: programs that belong together. */
const applicationIcon = new LabIcon({
  name: 'colophon:application',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M4 4h7v7H4zm2 2v3h3V6zm7-2h7v7h-7zm2 2v3h3V6zM4 13h7v7H4zm2 2v3h3v-3zm7-2h7v7h-7zm2 2v3h3v-3z"/>
</svg>`
});

/** A box: an entity of another kind. */
const customIcon = new LabIcon({
  name: 'colophon:custom',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M12 2.500 20.500 7v10L12 21.500 3.500 17V7zm0 2.300L7.300 7.300 12 9.800l4.700-2.500zM5.500 8.700v7.100L11 18.700v-7.100zm13 0L13 11.600v7.100l5.500-2.900z"/>
</svg>`
});

/** A line with a beat. */
export const activityIcon = new LabIcon({
  name: 'colophon:activity',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M9.200 3.500 14 16.800 16.200 11H22v2h-4.400L14.800 20.500h-1.800L8.700 8.700 6.700 13H2v-2h3.400L7.700 3.500z"/>
</svg>`
});

/** An open tray. */
export const inboxIcon = new LabIcon({
  name: 'colophon:inbox',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M5.500 4h13L22 13v7H2v-7zm1.400 2-2.700 7H8a4 4 0 0 0 8 0h3.800l-2.700-7zM4 15v3h16v-3h-2.350a6 6 0 0 1-11.300 0z"/>
</svg>`
});

/** A person. */
const userIcon = new LabIcon({
  name: 'colophon:user',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M12 3a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zm0 2a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zm0 8.500c4.500 0 8 2.200 8 5V21H4v-2.500c0-2.800 3.500-5 8-5zm0 2c-3.500 0-6 1.500-6 3V19h12v-.500c0-1.500-2.500-3-6-3z"/>
</svg>`
});

const TYPE_ICONS: Readonly<Record<string, LabIcon>> = {
  dataset: datasetIcon,
  dataJob: programIcon,
  dataFlow: applicationIcon,
  schemaField: columnIcon,
  namespace: namespaceIcon,
  instance: schemaspacesIcon,
  dataProcessInstance: runIcon,
  request: inboxIcon,
  corpuser: userIcon,
  corpGroup: userIcon
};

/** Returns the icon of an entity type; types of the user's own share one. */
export function getTypeIcon(type: string): LabIcon {
  return TYPE_ICONS[type] ?? customIcon;
}
