import React from 'react';
import { useModel } from '../../components/use-model';
import { About } from './metadata/about';
import { RecordedMetadata, UserAspects } from './metadata/aspects';
import { ContentsSection } from './contents-section';
import { Description } from './metadata/description';
import { LatestChanges } from './history';
import { LastRuns } from './runs/last-runs';
import { LineagePreview } from './lineage/lineage-preview';
import type { IPageProps } from './page';
import { QualitySection } from './quality/quality-section';
import { MembershipSection } from './stewardship/membership-section';
import { RequestsSection } from './stewardship/requests-section';
import { Properties } from './metadata/properties';
import { TrainedModelSection } from './trained-model/trained-model-section';

/** Types that requests are not about. */
const WITHOUT_REQUESTS = new Set(['instance', 'request', 'corpuser', 'corpGroup']);

/** Number of changes on the overview. */
const CHANGES = 3;

/** What the entity is, what users wrote about it, what it comes from, and what changed last. */
export function Overview({ page }: IPageProps): React.JSX.Element | null {
  const { entity } = useModel(page.model);
  if (!entity) {
    return null;
  }
  return (
    <div className="jp-Colophon-overview">
      <div className="jp-Colophon-overviewMain">
        <Description page={page} entity={entity} />
        <LineagePreview page={page} />
        <TrainedModelSection page={page} entity={entity} />
        <LastRuns page={page} />
        <QualitySection page={page} entity={entity} />
        <ContentsSection page={page} />
        <Properties page={page} entity={entity} />
        <UserAspects page={page} entity={entity} />
        <LatestChanges page={page} limit={CHANGES} />
      </div>
      <div className="jp-Colophon-overviewSide">
        <MembershipSection page={page} />
        <About page={page} entity={entity} />
        {!WITHOUT_REQUESTS.has(entity.type) && <RequestsSection page={page} />}
        <RecordedMetadata page={page} entity={entity} />
      </div>
    </div>
  );
}
