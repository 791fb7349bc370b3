import './base.css';
import './search.css';
import './entity.css';
import './form.css';
import './instance.css';
import './lineage.css';
import './schemaspaces.css';
import './activity.css';
