select id as order_id, customer_id, status, amount, ordered_at from {{ ref('raw_orders') }}
