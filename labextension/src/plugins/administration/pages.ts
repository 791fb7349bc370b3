import { createSettingsPage } from './settings-page';

/** The pages in the menu Settings. */
export const settingsPages = [
  createSettingsPage(
    'service-tokens',
    trans => [
      trans.__('Service Tokens'),
      trans.__('List, create, rotate and revoke the tokens by which programs use the catalog')
    ],
    () => import('../../panels/service-tokens')
  ),
  createSettingsPage(
    'policies',
    trans => [
      trans.__('Access Policies'),
      trans.__('See and change who may read and write what, and find the rule that decides')
    ],
    () => import('../../panels/policies')
  ),
  createSettingsPage(
    'audit',
    trans => [trans.__('Audit Log'), trans.__('See who read or changed what is sensitive')],
    () => import('../../panels/audit')
  ),
  createSettingsPage(
    'retention',
    trans => [trans.__('Retention Rules'), trans.__('See how long versions are kept, and delete expired versions')],
    () => import('../../panels/retention')
  ),
  createSettingsPage(
    'privacy',
    trans => [trans.__('Privacy'), trans.__('Export or erase what is recorded of a person')],
    () => import('../../panels/privacy')
  ),
  createSettingsPage(
    'applications',
    trans => [trans.__('Applications'), trans.__('Open the panels of system applications')],
    () => import('../../panels/applications')
  )
];
