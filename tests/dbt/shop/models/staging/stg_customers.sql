select id as customer_id, lower(email) as email, region from {{ ref('raw_customers') }}
