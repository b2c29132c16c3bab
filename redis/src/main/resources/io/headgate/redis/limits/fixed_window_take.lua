-- Takes permits off the count of a window.
call('SETRANGE', key, '14', pack('>I6', count - refunded))
