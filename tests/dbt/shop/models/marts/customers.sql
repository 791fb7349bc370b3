select c.customer_id, c.email, c.region, count(o.order_id) as orders, coalesce(sum(o.amount), 0) as revenue,
  (select count(*) from {{ source('crm', 'visits') }} v where v.customer_id = c.customer_id) as visits
from {{ ref('stg_customers') }} c left join {{ ref('paid_orders') }} o using (customer_id)
group by c.customer_id, c.email, c.region
