-- An attempt makes a bucket owe its capacity at most, and then nothing has begun to be paid off.
if permits >= capacity - owed then
  permits = capacity - owed
  parts = permits > 0 and 0 or parts
end
