import { writeFileSync } from 'node:fs';
import { securityTestsPage } from '#test/support/security-tests.ts';

writeFileSync(new URL('../../docs/security-tests.md', import.meta.url), securityTestsPage());
console.log('docs/security-tests.md');
