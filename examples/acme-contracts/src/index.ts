import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IFormRendererRegistry } from '@jupyterlab/ui-components';
import { IEntityTabRegistry, ILineageDecorator, ISearchSectionRegistry } from 'jupyter-colophon';
import { ContractSearch } from './contract-search';
import { ContractTab, getContract } from './contract-tab';
import { RetentionField } from './retention-field';

/** The field of the form; the schema of the aspect names it. */
const form: JupyterFrontEndPlugin<void> = {
  id: 'acme-contracts:plugin',
  autoStart: true,
  requires: [IFormRendererRegistry],
  activate: (_: JupyterFrontEnd, renderers: IFormRendererRegistry) => {
    renderers.addRenderer('acme-contracts:plugin.retention', { fieldRenderer: RetentionField });
  }
};

/** A tab of the pages of entities that have a contract. */
const tab: JupyterFrontEndPlugin<void> = {
  id: 'acme-contracts:tab',
  autoStart: true,
  requires: [IEntityTabRegistry],
  activate: (_: JupyterFrontEnd, tabs: IEntityTabRegistry) => {
    tabs.add({
      id: 'acme-contracts:tab.contract',
      // Between the tabs Overview (100) and Columns (200).
      rank: 150,
      title: 'Contract',
      isVisible: entity => getContract(entity) !== undefined,
      component: ContractTab
    });
  }
};

/** A mark in lineage graphs: data whose name contains `draft_`. */
const lineage: JupyterFrontEndPlugin<void> = {
  id: 'acme-contracts:lineage',
  autoStart: true,
  requires: [ILineageDecorator],
  activate: (_: JupyterFrontEnd, decorator: ILineageDecorator) => {
    decorator.add({
      id: 'acme-contracts:lineage.drafts',
      rank: 100,
      label: 'Drafts',
      decorate: node =>
        node.name.includes('draft_')
          ? { color: 'var(--jp-warn-color1)', badge: 'draft', title: 'Drafts are covered by no contract' }
          : null
    });
  }
};

/** A section of the search panel. */
const search: JupyterFrontEndPlugin<void> = {
  id: 'acme-contracts:search',
  autoStart: true,
  requires: [ISearchSectionRegistry],
  activate: (_: JupyterFrontEnd, sections: ISearchSectionRegistry) => {
    sections.add({ id: 'acme-contracts:search.contracts', rank: 350, title: 'Contracts', component: ContractSearch });
  }
};

export default [form, tab, lineage, search];
