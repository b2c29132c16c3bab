-- Whether the request was charged: admitted or, under rules that count attempts, denied.
local charged = allowed ~= nil
