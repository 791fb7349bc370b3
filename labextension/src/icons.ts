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
