/** Tests of policies in etcd and Consul, and of properties that Spring Cloud refreshes. */
@NullMarked
package io.headgate.spring;

import org.jspecify.annotations.NullMarked;
