-- The job is done and gone, and its key is free.
free_key(job(index))
