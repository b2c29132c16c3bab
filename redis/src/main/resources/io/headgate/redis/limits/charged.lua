-- Whether the request was charged: admitted.
local charged = allowed
