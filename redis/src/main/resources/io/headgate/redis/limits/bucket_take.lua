-- Writes what a bucket owes after a refund.
call('SETRANGE', key, '0', pack('>I7I4I6I6', time, owed, parts, period))
