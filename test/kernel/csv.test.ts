import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvLine } from '#src/kernel/csv.ts';

describe('a line of CSV', () => {
  it('quotes what would end a cell or a line, and leaves nothing empty that is zero', () => {
    assert.equal(
      csvLine(['a,b', 'say "yes"', 'two\nlines', 0, null, 'plain']),
      '"a,b","say ""yes""","two\nlines",0,,plain\r\n',
    );
  });

  it('is no formula to a spreadsheet, and keeps negative numbers', () => {
    assert.equal(csvLine(['=1+1', '-2+3', '@sum', -4]), "'=1+1,'-2+3,'@sum,-4\r\n");
  });
});
