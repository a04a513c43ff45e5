/** What scripts add to pages that work without them: custom elements on the HTML of the server. */
import './code.ts';
import './copy.ts';
import './countdown.ts';
import './job.ts';
import './keys.ts';
import './library.ts';
import './lines.ts';
import './local-times.ts';
import './panel.ts';
import './player.ts';
import './search.ts';
import './times.ts';
